"""Kept for the modules that read tables."""

from masis.language.question import ASKING, AnswerKind, Question, parts_of, read_question

__all__ = ["ASKING", "AnswerKind", "Question", "parts_of", "read_question"]
