"""What is run by make, never by the product."""
