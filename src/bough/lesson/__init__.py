"""Lessons: the growing of a tree step by step, every number worked out. Start at `lesson_of`."""
