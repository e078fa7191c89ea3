#include "rowsmith/window.h"

#include <fmt/format.h>

#include <cstddef>
#include <limits>

namespace rowsmith {

namespace {

template <class... A>
status refuse(fmt::format_string<A...> format, A&&... values) {
  return status(code::invalid_argument, fmt::format(format, std::forward<A>(values)...));
}

struct axis {
  std::int64_t size = 1, window = 1, shift = 0, front = 0, padded = 1;

  // The point of x at point q after the roll, or -1.
  std::int64_t source(std::int64_t q) const {
    const std::int64_t point = (q + shift) % padded - front;
    return point >= 0 && point < size ? point : -1;
  }
};

// A grid of three axes, the leading ones of one point where fewer were asked for.
struct grid {
  axis axes[max_window_axes];
  std::int64_t rows = 1, padded_rows = 1;
};

bool multiply(std::int64_t* into, std::int64_t by) { return !__builtin_mul_overflow(*into, by, into); }

status take_pad(axis* a, const window_pad& pad, int i) {
  std::int64_t back = 0;
  if (pad.how == window_pad::kind::given) {
    a->front = pad.front.at[i], back = pad.back.at[i];
    if (a->front < 0) return refuse("pad: front[{}] is {}, at least 0 is allowed", i, a->front);
    if (back < 0) return refuse("pad: back[{}] is {}, at least 0 is allowed", i, back);
  } else {
    const std::int64_t missing = (a->window - a->size % a->window) % a->window;
    if (pad.how == window_pad::kind::centered) a->front = missing / 2;
    back = missing - a->front;
  }
  if (__builtin_add_overflow(a->size, a->front, &a->padded) || __builtin_add_overflow(a->padded, back, &a->padded)) {
    return refuse("pad: axis {} has more than 2^63 points", i);
  }
  if (a->padded % a->window != 0) {
    return refuse("pad: axis {} has {} points with padding, which is not a multiple of its window {}", i, a->padded,
                  a->window);
  }
  return {};
}

// `optional`: no axes stand for zeros.
status check_count(const char* name, const window_axes& a, int count, bool optional) {
  if (a.count == count || (optional && a.count == 0)) return {};
  return refuse("{}: {} axes, but dims has {}", name, a.count, count);
}

status read(const window_axes& dims, const window_axes& window, const window_axes& shift, const window_pad& pad,
            grid* out) {
  const int count = dims.count;
  if (count < 1 || count > max_window_axes) {
    return refuse("dims: {} axes, 1 to {} are allowed", count, max_window_axes);
  }
  if (pad.how > window_pad::kind::centered) return refuse("pad: kind {} is not known", static_cast<int>(pad.how));
  if (status s = check_count("window", window, count, false); !s) return s;
  if (status s = check_count("shift", shift, count, true); !s) return s;
  if (status s = check_count("pad: front", pad.front, count, true); !s) return s;
  if (status s = check_count("pad: back", pad.back, count, true); !s) return s;
  for (int i = 0; i < count; ++i) {
    axis& a = out->axes[max_window_axes - count + i];
    a.size = dims.at[i], a.window = window.at[i];
    if (a.size < 0) return refuse("dims: [{}] is {}, at least 0 is allowed", i, a.size);
    if (a.window < 1) return refuse("window: [{}] is {}, at least 1 is allowed", i, a.window);
    if (status s = take_pad(&a, pad, i); !s) return s;
    if (a.padded > 0) a.shift = shift.at[i] % a.padded;
    if (a.shift < 0) a.shift += a.padded;
    if (!multiply(&out->rows, a.size) || !multiply(&out->padded_rows, a.padded)) {
      return refuse("dims: more than 2^63 rows");
    }
  }
  return {};
}

// visit(row of the windowed tensor, row of x or -1), in the order of the windowed tensor.
template <class Visit>
void walk(const grid& g, Visit visit) {
  if (g.padded_rows == 0) return;  // an axis without points: the others may have many
  const auto [a, b, c] = g.axes;
  std::int64_t row = 0;
  for (std::int64_t wa = 0; wa < a.padded; wa += a.window)
    for (std::int64_t wb = 0; wb < b.padded; wb += b.window)
      for (std::int64_t wc = 0; wc < c.padded; wc += c.window)
        for (std::int64_t i = wa; i < wa + a.window; ++i)
          for (std::int64_t j = wb; j < wb + b.window; ++j)
            for (std::int64_t k = wc; k < wc + c.window; ++k) {
              const std::int64_t x = a.source(i), y = b.source(j), z = c.source(k);
              visit(row++, (x | y | z) < 0 ? -1 : (x * b.size + y) * c.size + z);
            }
}

template <class Index>
status check_index(const Index* index, std::int64_t size, std::int64_t rows, std::int64_t rows_named) {
  if (size != rows) return refuse("rows: {} is the size of index, but there are {} rows", size, rows);
  if (rows > 0 && index == nullptr) return refuse("index: is null, but there are {} rows", rows);
  if (rows_named - 1 > std::numeric_limits<Index>::max()) {
    return refuse("index: a number of {} bits cannot hold {} rows", 8 * sizeof(Index), rows_named);
  }
  return {};
}

template <class Index>
status fill(const window_axes& dims, const window_axes& window, const window_axes& shift, const window_pad& pad,
            Index* index, std::int64_t size) {
  grid g;
  if (status s = read(dims, window, shift, pad, &g); !s) return s;
  if (status s = check_index(index, size, g.padded_rows, g.rows); !s) return s;
  walk(g, [&](std::int64_t row, std::int64_t of_x) { index[row] = static_cast<Index>(of_x); });
  return {};
}

template <class Index>
status fill_restore(const window_axes& dims, const window_axes& window, const window_axes& shift, const window_pad& pad,
                    Index* index, std::int64_t size) {
  grid g;
  if (status s = read(dims, window, shift, pad, &g); !s) return s;
  if (status s = check_index(index, size, g.rows, g.padded_rows); !s) return s;
  if (g.rows == 0) return {};
  walk(g, [&](std::int64_t row, std::int64_t of_x) {
    if (of_x >= 0) index[of_x] = static_cast<Index>(row);
  });
  return {};
}

}  // namespace

result<std::int64_t> window_rows(const window_axes& dims, const window_axes& window, const window_pad& pad) {
  grid g;
  if (status s = read(dims, window, {}, pad, &g); !s) return s;
  return g.padded_rows;
}

status window_index(const window_axes& dims, const window_axes& window, const window_axes& shift, const window_pad& pad,
                    std::int32_t* index, std::int64_t rows) {
  return fill(dims, window, shift, pad, index, rows);
}

status window_index(const window_axes& dims, const window_axes& window, const window_axes& shift, const window_pad& pad,
                    std::int64_t* index, std::int64_t rows) {
  return fill(dims, window, shift, pad, index, rows);
}

status window_restore_index(const window_axes& dims, const window_axes& window, const window_axes& shift,
                            const window_pad& pad, std::int32_t* index, std::int64_t rows) {
  return fill_restore(dims, window, shift, pad, index, rows);
}

status window_restore_index(const window_axes& dims, const window_axes& window, const window_axes& shift,
                            const window_pad& pad, std::int64_t* index, std::int64_t rows) {
  return fill_restore(dims, window, shift, pad, index, rows);
}

}  // namespace rowsmith
