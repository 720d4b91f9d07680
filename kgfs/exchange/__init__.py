"""What comes from elsewhere and goes elsewhere: importers, exports, and the one consistent copy of a store."""
