"""What publishes: the derived figures as files and on the terminal. Measures nothing."""
