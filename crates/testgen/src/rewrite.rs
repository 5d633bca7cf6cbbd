//! Changes of a model that change no answer.
