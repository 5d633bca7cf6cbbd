//! Programs that create threads without bound, each thread allowed K switches (\[DYN\]).
#![forbid(unsafe_code)]
