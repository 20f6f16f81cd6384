/*
 * services.S - the two doors that knobellib.c goes through, see docs/machine.md.
 *
 *   int  knobeln_throw_door (int my_throw)      door 1: a0 = my throw; comes back with the opponent's in a0
 *   void knobeln_seed_door (word state[4])      door 2: a0 = address of four words that are filled in
 *
 * The machine changes no register but a0.
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
