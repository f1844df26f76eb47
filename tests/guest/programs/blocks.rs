// SPDX-License-Identifier: GPL-2.0-only
// As blocks.c, with Vec and Box.

// The optimiser has to keep what goes through here. Rust has such a function of its own
// since 1.66, which is newer than the compiler of Debian 12.
fn black_box<T>(value: T) -> T {
    let copy = unsafe { std::ptr::read_volatile(&value) };
    std::mem::forget(value);
    copy
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(0, |s| s.parse().unwrap());

    std::thread::sleep(std::time::Duration::from_secs(3));
    let mut blocks: Vec<Box<[u8; 128]>> = Vec::with_capacity(n + 1);
    for _ in 0..n {
        blocks.push(black_box(Box::new([1u8; 128])));
    }
    for (i, block) in blocks.drain(..).enumerate() {
        if i % 2 == 0 {
            drop(black_box(block));
        } else {
            std::mem::forget(block);
        }
    }
    std::mem::forget(black_box(blocks));
}
