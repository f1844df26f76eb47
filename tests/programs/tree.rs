// SPDX-License-Identifier: GPL-2.0-only
// Blocks from a known place, through Rust's library.
use std::hint::black_box;

#[inline(never)]
fn leaf(size: usize) -> Vec<u8> {
    let block = Vec::with_capacity(size); // @leaf
    black_box(block)
}

#[inline(always)]
fn inlined(size: usize) -> Vec<u8> {
    let block = leaf(size); // @inlined
    black_box(block)
}

#[inline(never)]
fn middle(size: usize) -> Vec<u8> {
    let block = inlined(size); // @middle
    black_box(block)
}

fn main() {
    for _ in 0..black_box(10) {
        black_box(middle(3000)); // @main
    }
}
