"""What check, handoff and the gate's reruns decide: running checks, keeping their records, the account of a task."""
