import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/** The Java side of the record benchmark. Speaks the protocol of harness.js. */
public final class RecordBench {
  private final Histogram histogram;
  private final long[] values;
  private long next = 0;

  private RecordBench(Histogram histogram, long[] values) {
    this.histogram = histogram;
    this.values = values;
  }

  public static void main(String[] args) throws Exception {
    long[] values = read(Path.of(args[0]));
    var histogram = new Histogram(1, Long.parseLong(args[1]), Integer.parseInt(args[2]));
    var bench = new RecordBench(histogram, values);
    System.out.println("{\"ready\":true}");
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null; ) {
      long iterations = Long.parseLong(line);
      bench.run(iterations / 16);
      long start = System.nanoTime();
      bench.run(iterations);
      long elapsed = System.nanoTime() - start;
      System.out.println(
          "{\"elapsedNs\":" + elapsed + ",\"answer\":" + histogram.getValueAtPercentile(50) + "}");
    }
  }

  private void run(long iterations) {
    int mask = values.length - 1;
    long end = next + iterations;
    for (long i = next; i < end; i++) {
      histogram.recordValue(values[(int) i & mask]);
    }
    next = end & mask;
  }

  private static long[] read(Path file) throws Exception {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    long[] values = new long[bytes.remaining() / Long.BYTES];
    bytes.asLongBuffer().get(values);
    return values;
  }
}
