"""What git runs: four hook stages and the rules they share with the gate. Standard library only."""
