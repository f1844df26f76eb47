/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * isolated: what the isolated child does or sends, in this process
 */
#ifndef FUZZ_ISOLATED_H
#define FUZZ_ISOLATED_H

#include "input.h"

/**
 * isolated_answer - set the bytes that each child sends from now on
 * @answer: must stay; NULL: the child's work is done, here
 */
void isolated_answer(const struct input *answer);

#endif
