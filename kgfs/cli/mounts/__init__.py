"""Commands that mount, unmount, and open a shell on a mount."""
