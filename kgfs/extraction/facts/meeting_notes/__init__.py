"""Facts of minutes and of notes of meetings: who was there, motions, decisions, tasks."""
