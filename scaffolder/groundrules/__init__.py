"""What a person runs: seeding, slots, handoff, the gate, updates."""
