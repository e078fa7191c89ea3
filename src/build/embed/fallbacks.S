/* The machine codes that embed_fallbacks put into one file, as bytes of the library. */
        .section .rodata
        .balign 16
        .globl  rowsmith_fallback_codes
        .hidden rowsmith_fallback_codes
rowsmith_fallback_codes:
        .incbin ROWSMITH_FALLBACK_CODES
        .section .note.GNU-stack, "", %progbits
