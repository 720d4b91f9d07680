"""Into the workspace and out of it as a whole: directories of the host, and files that other clients wrote."""
