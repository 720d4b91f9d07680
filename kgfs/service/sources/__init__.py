"""What is added, read again, moved and removed, and how what users call it is found."""
