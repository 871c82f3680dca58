"""What is written from the sources instead of by hand; ``make generated`` runs all of it."""
