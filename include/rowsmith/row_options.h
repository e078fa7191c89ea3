// What the options of every row op have in common beside their own: how a kernel stands to the width of its rows, and
// what a row's bits may depend on.
//
// width: a kernel that knows its rows' width is the fastest, and has to be built for it. For widths that change from
// call to call (the length of a KV cache, ragged batches) there is one that learns the width at run time and reads rows
// twice: one for all widths of a bucket (up to 64, 1024, 16384, and beyond), within the same bounds (docs/numerics.md).
//   automatic  the first 8 widths of otherwise equal calls get kernels of their own; after them calls are answered by
//              the bucket's kernel, and a width that comes 64 times more gets its own in the background. At most 512
//              kernels of one width a process come into being so. (counter_values says how many calls go which way.)
//              What `automatic` means is ROWSMITH_WIDTH's to say, where that is set: auto, exact or any.
//   exact      always a kernel of this width.
//   any        always the bucket's kernel: one, whatever the width.
// Two kernels may differ in the last bits: where `automatic` changes from one to the other, so may results. Calls that
// ask for deterministic(), batch_invariant() or bring a workspace are answered by exact kernels, unless `any` is asked
// for. Rows of more than 2^31 - 65536 elements are exact always.
//
// batch_invariant: the bits of a row of results depend on nothing but the row's contents, the op with its options and
// operands, the width, the dtypes, the device's architecture and (see above) exact or any: not on how many rows there
// are, which of them it is, where it lies or with what strides, and on no stream. Includes deterministic(). Sums over
// rows (the gradients of weights; rows that gather_rows_backward adds up) do depend on the rows that are summed; the
// rest of such a call does not. The scalar fallback keeps the promise too, with bits of its own: where some kernels of
// a width cannot be had (see runtime.h), the two do not mix only under ROWSMITH_STRICT or ROWSMITH_FORCE_SCALAR.
//
// The price: elements are dealt out by the width alone, so that rows whose start is not aligned are read by narrower
// accesses instead of through shared memory or by shifted packs; no clusters, no blocks of neighbouring rows, nothing
// that helps few rows. Rows of a multiple of 16 bytes, aligned and up to some ten thousand elements, pay nothing.
// What it costs a call of yours, by this command and by the same without its last word (`rowsmith explain` shows what
// kernel each gets):
//
//   rowsmith run softmax --shape 65536x1023 --dtype f16 --device cuda:0 --batch-invariant
#pragma once

#include <cstdint>

namespace rowsmith {

enum class width_mode : std::uint8_t { automatic = 0, exact = 1, any = 2 };

}  // namespace rowsmith
