import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.DoubleHistogramIterationValue;
import org.HdrHistogram.EncodableHistogram;

/** HdrHistogram's `DoubleHistogram`. */
final class DoubleSubject implements Subject {
  private final DoubleHistogram histogram;

  private DoubleSubject(DoubleHistogram histogram) {
    this.histogram = histogram;
  }

  static DoubleSubject create(long highestToLowestRatio, int digits, boolean autoResize) {
    DoubleHistogram histogram = new DoubleHistogram(highestToLowestRatio, digits);
    histogram.setAutoResize(autoResize);
    return new DoubleSubject(histogram);
  }

  static DoubleSubject decode(ByteBuffer bytes) {
    return new DoubleSubject(DoubleHistogram.decodeFromByteBuffer(bytes, 0));
  }

  static DoubleSubject decompress(ByteBuffer bytes) throws DataFormatException {
    return new DoubleSubject(DoubleHistogram.decodeFromCompressedByteBuffer(bytes, 0));
  }

  @Override
  public void record(String value, long count, String expectedInterval) {
    double v = Double.parseDouble(value);
    double interval = Double.parseDouble(expectedInterval);
    if (interval == 0) {
      histogram.recordValueWithCount(v, count);
      return;
    }
    for (long i = 0; i < count; i++) histogram.recordValueWithExpectedInterval(v, interval);
  }

  @Override
  public void add(Subject other) {
    histogram.add(of(other));
  }

  @Override
  public void subtract(Subject other) {
    histogram.subtract(of(other));
  }

  @Override
  public void addWhileCorrecting(Subject other, String expectedInterval) {
    histogram.addWhileCorrectingForCoordinatedOmission(of(other), Double.parseDouble(expectedInterval));
  }

  @Override
  public void shiftLeft(int binaryOrders) {
    throw new UnsupportedOperationException("a DoubleHistogram shifts by itself");
  }

  @Override
  public void shiftRight(int binaryOrders) {
    throw new UnsupportedOperationException("a DoubleHistogram shifts by itself");
  }

  @Override
  public void reset() {
    histogram.reset();
  }

  @Override
  public Subject copy() {
    return new DoubleSubject(histogram.copy());
  }

  @Override
  public Subject copyCorrected(String expectedInterval) {
    return new DoubleSubject(
        histogram.copyCorrectedForCoordinatedOmission(Double.parseDouble(expectedInterval)));
  }

  @Override
  public boolean same(Subject other) {
    return histogram.equals(of(other)) && of(other).equals(histogram);
  }

  @Override
  public String summary() {
    return Json.object(
        "totalCount", Json.number(histogram.getTotalCount()),
        "min", Json.number(histogram.getMinValue()),
        "max", Json.number(histogram.getMaxValue()),
        "minNonZero", Json.number(histogram.getMinNonZeroValue()),
        "mean", Json.number(histogram.getMean()),
        "standardDeviation", Json.number(histogram.getStdDeviation()),
        "highestToLowestValueRatio", Json.number(histogram.getHighestToLowestValueRatio()),
        "significantDigits", Json.number(histogram.getNumberOfSignificantValueDigits()),
        "integerToDoubleRatio", Json.number(histogram.getIntegerToDoubleValueConversionRatio()));
  }

  @Override
  public String valueAtPercentile(double percentile) {
    return Json.number(histogram.getValueAtPercentile(percentile));
  }

  @Override
  public String atValue(String value) {
    double v = Double.parseDouble(value);
    return Json.list(
        Json.number(v),
        Json.number(histogram.getCountAtValue(v)),
        Json.number(histogram.getPercentileAtOrBelowValue(v)));
  }

  @Override
  public String between(String from, String to) {
    double low = Double.parseDouble(from);
    double high = Double.parseDouble(to);
    return Json.list(
        Json.number(low), Json.number(high), Json.number(histogram.getCountBetweenValues(low, high)));
  }

  @Override
  public String equivalence(String value) {
    double v = Double.parseDouble(value);
    return Json.list(
        Json.number(v),
        Json.number(histogram.sizeOfEquivalentValueRange(v)),
        Json.number(histogram.lowestEquivalentValue(v)),
        Json.number(histogram.highestEquivalentValue(v)),
        Json.number(histogram.medianEquivalentValue(v)),
        Json.number(histogram.nextNonEquivalentValue(v)));
  }

  @Override
  public String iterate(String kind, String[] arguments) {
    return Subject.rows(steps(kind, arguments), DoubleSubject::row);
  }

  private Iterable<DoubleHistogramIterationValue> steps(String kind, String[] arguments) {
    switch (kind) {
      case "recorded":
        return histogram.recordedValues();
      case "all":
        return histogram.allValues();
      case "percentiles":
        return histogram.percentiles(Integer.parseInt(arguments[0]));
      case "linear":
        return histogram.linearBucketValues(Double.parseDouble(arguments[0]));
      case "logarithmic":
        return histogram.logarithmicBucketValues(
            Double.parseDouble(arguments[0]), Double.parseDouble(arguments[1]));
      default:
        throw new IllegalArgumentException("no iterator is called " + kind);
    }
  }

  private static String row(DoubleHistogramIterationValue step) {
    return Json.list(
        Json.number(step.getValueIteratedTo()),
        Json.number(step.getValueIteratedFrom()),
        Json.number(step.getCountAtValueIteratedTo()),
        Json.number(step.getCountAddedInThisIterationStep()),
        Json.number(step.getTotalCountToThisValue()),
        Json.number(step.getTotalValueToThisValue()),
        Json.number(step.getPercentile()),
        Json.number(step.getPercentileLevelIteratedTo()));
  }

  @Override
  public String percentileText(int ticksPerHalfDistance, double scalingRatio, boolean csv) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    histogram.outputPercentileDistribution(new PrintStream(text), ticksPerHalfDistance, scalingRatio, csv);
    return Json.text(text.toString());
  }

  @Override
  public EncodableHistogram histogram() {
    return histogram;
  }

  @Override
  public ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    histogram.encodeIntoByteBuffer(bytes);
    return bytes.flip();
  }

  @Override
  public ByteBuffer compress() {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    histogram.encodeIntoCompressedByteBuffer(bytes);
    return bytes.flip();
  }

  private static DoubleHistogram of(Subject subject) {
    return ((DoubleSubject) subject).histogram;
  }
}
