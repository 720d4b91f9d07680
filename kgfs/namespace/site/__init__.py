"""What the pages of the website say: from a snapshot and the stored pages to the records of ``kgfs.site``."""
