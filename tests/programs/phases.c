// SPDX-License-Identifier: GPL-2.0-only
/*
 * phases SECONDS [LATER]: has 40 blocks of 1 MB that are half touched, for SECONDS; then 40
 * others that are touched, and some of the first ones no more, for LATER (else SECONDS).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR	40
#define MIB	(1 << 20)

static char *halves[NR], *wholes[NR];

__attribute__((noinline)) static void take_halves(void)
{
	for (int i = 0; i < NR; i++)
		memset(halves[i] = malloc(MIB), 1, MIB / 2);
}

__attribute__((noinline)) static void take_wholes(void)
{
	for (int i = 0; i < NR; i++)
		memset(wholes[i] = malloc(MIB), 1, MIB);
}

int main(int argc, char **argv)
{
	const unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	const unsigned int later = argc > 2 ? (unsigned int)atoi(argv[2]) : seconds;

	take_halves();
	sleep(seconds);
	take_wholes();
	for (int i = 0; i < NR / 2; i++)
		free(halves[i]);
	sleep(later);
	return 0;
}
