/*
 * switch.S - void switch_stack (void **save, void *to): leaves this stack, goes on where `to` left off (x86-64).
 *
 * Only what a called function must preserve is kept: six registers; the stack pointer stands for the rest.
 */
        .text
        .globl  switch_stack
        .type   switch_stack, @function
switch_stack:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   switch_stack, . - switch_stack
        .section .note.GNU-stack, "", @progbits
