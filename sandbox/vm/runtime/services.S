/*
 * services.S - the two services of the machine that knobellib.c calls, see docs/machine.md.
 *
 *   int  knobeln_throw_door (int my_throw)      service 1: a0 = my throw; returns the opponent's throw in a0
 *   void knobeln_seed_door (word state[4])      service 2: a0 = address of four words, which it fills
 *
 * The machine changes no register but a0. The symbols keep their old names: images contain symbols, so other
 * names would change the digests of all images.
 */
        .text
        .globl  knobeln_throw_door
        .type   knobeln_throw_door, @function
knobeln_throw_door:
        li      a7, 1
        ecall
        ret
        .size   knobeln_throw_door, . - knobeln_throw_door

        .globl  knobeln_seed_door
        .type   knobeln_seed_door, @function
knobeln_seed_door:
        li      a7, 2
        ecall
        ret
        .size   knobeln_seed_door, . - knobeln_seed_door
