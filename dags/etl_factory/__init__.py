"""What the DAG file is made of."""
