//! The scorer of code reviews: generated comments against those that people made, by place and by meaning.
#![allow(dead_code)]

mod matching;
mod read;
