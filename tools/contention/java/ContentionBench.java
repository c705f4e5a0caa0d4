import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** The Java side: {@code concurrent|atomic WRITERS DIGITS HIGHEST}. measure.js describes the answers. */
public final class ContentionBench {
  /** Records between two looks at the clock. */
  private static final int BLOCK = 1024;

  private final Histogram histogram;
  private final long[] values = latencies();
  private final int writers;

  private ContentionBench(Histogram histogram, int writers) {
    this.histogram = histogram;
    this.writers = writers;
  }

  public static void main(String[] args) throws Exception {
    int digits = Integer.parseInt(args[2]);
    long highest = Long.parseLong(args[3]);
    Histogram histogram =
        args[0].equals("atomic")
            ? new AtomicHistogram(1, highest, digits)
            : new ConcurrentHistogram(1, highest, digits);
    var bench = new ContentionBench(histogram, Integer.parseInt(args[1]));
    System.out.println("{\"ready\":true}");
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null; ) {
      System.out.println(bench.sample(Long.parseLong(line)));
    }
  }

  private String sample(long ms) throws Exception {
    var barrier = new CyclicBarrier(writers);
    long[] records = new long[writers];
    long[] starts = new long[writers];
    long[] ends = new long[writers];
    var threads = new Thread[writers];
    for (int i = 0; i < writers; i++) {
      int writer = i;
      threads[i] =
          new Thread(
              () -> {
                await(barrier);
                long start = System.nanoTime();
                records[writer] = recordFor(ms, (int) ((long) writer * values.length / writers));
                starts[writer] = start;
                ends[writer] = System.nanoTime();
              });
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
    long[] busy = new long[writers];
    Arrays.setAll(busy, i -> ends[i] - starts[i]);
    long wall = Arrays.stream(ends).max().getAsLong() - Arrays.stream(starts).min().getAsLong();
    long counted = 0;
    for (var step : histogram.allValues()) counted += step.getCountAddedInThisIterationStep();
    return String.format(
        "{\"records\":%s,\"busyNs\":%s,\"wallNs\":%d,\"counted\":%d,\"checksum\":%d,\"runtime\":\"Java %s\"}",
        Arrays.toString(records),
        Arrays.toString(busy),
        wall,
        counted,
        Arrays.stream(values).sum(),
        System.getProperty("java.version"));
  }

  private long recordFor(long ms, int first) {
    int mask = values.length - 1;
    long end = System.nanoTime() + ms * 1_000_000;
    long records = 0;
    for (; System.nanoTime() - end < 0; records += BLOCK) {
      long from = first + records;
      for (long i = from; i < from + BLOCK; i++) histogram.recordValue(values[(int) i & mask]);
    }
    return records;
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  /** The latencies of tools/bench/values.js. */
  private static long[] latencies() {
    int state = 20250101;
    var values = new long[1 << 15];
    for (int i = 0; i < values.length; ) {
      state = state * 1664525 + 1013904223;
      double radius = Math.sqrt(-2 * StrictMath.log(uniform(state)));
      state = state * 1664525 + 1013904223;
      double normal = radius * StrictMath.cos(2 * Math.PI * uniform(state));
      long value = Math.round(2e6 * StrictMath.exp(1.2 * normal));
      if (value >= 1 && value < 1L << 31) values[i++] = value;
    }
    return values;
  }

  private static double uniform(int state) {
    return (Integer.toUnsignedLong(state) + 0.5) / 0x1p32;
  }
}
