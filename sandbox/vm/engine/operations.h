/*
 * operations.h - the list of all decoded operations, as OPERATION(name) lines.
 *
 * The decoder's numbers and the interpreter's labels are both made from it, so they cannot disagree.
 * JUMPS(name) marks those that may not go on with the next instruction; a block ends there.
 */
OPERATION (SET) /* rd = imm: lui, auipc, li */
OPERATION (ADDI)
OPERATION (SLTI)
OPERATION (SLTIU)
OPERATION (XORI)
OPERATION (ORI)
OPERATION (ANDI)
OPERATION (SLLI)
OPERATION (SRLI)
OPERATION (SRAI)
OPERATION (ADD)
OPERATION (SUB)
OPERATION (SLL)
OPERATION (SLT)
OPERATION (SLTU)
OPERATION (XOR)
OPERATION (SRL)
OPERATION (SRA)
OPERATION (OR)
OPERATION (AND)
OPERATION (MUL)
OPERATION (MULH)
OPERATION (MULHSU)
OPERATION (MULHU)
OPERATION (DIV)
OPERATION (DIVU)
OPERATION (REM)
OPERATION (REMU)
OPERATION (LB)
OPERATION (LH)
OPERATION (LW)
OPERATION (LBU)
OPERATION (LHU)
OPERATION (SB)
OPERATION (SH)
OPERATION (SW)
OPERATION (NOTHING) /* fence */
JUMPS (BEQ)
JUMPS (BNE)
JUMPS (BLT)
JUMPS (BGE)
JUMPS (BLTU)
JUMPS (BGEU)
JUMPS (JAL)
JUMPS (JALR)
JUMPS (BRANCH_OUT) /* a branch whose target is not code; imm = the target, rd = funct3 */
JUMPS (JAL_OUT)    /* likewise */
JUMPS (ECALL)
JUMPS (ILLEGAL)     /* imm = the word */
JUMPS (END_OF_CODE) /* after the last instruction; not an instruction itself */
JUMPS (OUT_OF_FUEL) /* put by the interpreter where the fuel ends in the middle of a block */
