/*
 * start.S - the entry of a program for the contest machine.
 *
 * The machine enters at _start with all registers 0, except sp = end of the stack (DATA_BASE). Data and bss are
 * already in place; there are no constructors. When main returns, its value goes to service 0 (leave), which
 * ignores it.
 */
        .section .text.start, "ax", @progbits
        .globl  _start
        .type   _start, @function
_start:
        .option push
        .option norelax                 /* this instruction must not be relaxed to use gp */
        la      gp, __global_pointer$
        .option pop
        call    main
        li      a7, 0                   /* service 0: leave */
        ecall
        .size   _start, . - _start
