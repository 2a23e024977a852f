// Hot loops are compiled several times, for plain machines and for wider vector units; the right
// one is chosen when the program starts. All give the same bits: no sums of rounded numbers are
// reordered and nothing is contracted (-ffp-contract=off).
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BOUGH_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BOUGH_VECTORS
#endif
