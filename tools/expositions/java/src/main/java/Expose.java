import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.config.OpenMetrics2Properties;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Summary;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetrics2TextFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusProtobufWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;

/** Writes what client_java exposes for known values, into the folder of the argument. See ../README.md. */
public class Expose {
  private static final double[] BOUNDS = {0.005, 0.1, 0.25, 0.5, 1, 2.5};

  public static void main(String[] arguments) throws Exception {
    PrometheusRegistry registry = new PrometheusRegistry();
    Histogram classic = histogram("classic").classicOnly().classicUpperBounds(BOUNDS).register(registry);
    Histogram fine = histogram("native").nativeOnly().nativeInitialSchema(3).register(registry);
    Histogram both = histogram("both").nativeInitialSchema(3).classicUpperBounds(BOUNDS).register(registry);
    Histogram few = histogram("few").nativeOnly().nativeMaxNumberOfBuckets(8).register(registry);
    String[] routes = {"/a", "/b \"quoted\"\\\n"};
    double[] values = values();
    for (int i = 0; i < values.length; i++) {
      for (Histogram one : new Histogram[] {classic, fine, both, few}) one.labelValues(routes[i % 2]).observe(values[i]);
    }
    Summary.builder().name("summary").unit(Unit.SECONDS).quantile(0.5).register(registry).observe(1);

    OpenMetrics2Properties two =
        OpenMetrics2Properties.builder().enabled(true).compositeValues(true).nativeHistograms(true).exemplarCompliance(true).build();
    Map<String, ExpositionFormatWriter> writers =
        Map.of(
            "java.text.txt", PrometheusTextFormatWriter.create(),
            "java.openmetrics.txt", OpenMetricsTextFormatWriter.create(),
            "java.openmetrics2.txt", OpenMetrics2TextFormatWriter.builder().setOpenMetrics2Properties(two).build(),
            "java.protobuf.bin", new PrometheusProtobufWriter());
    for (var writer : writers.entrySet()) {
      try (OutputStream out = new FileOutputStream(Path.of(arguments[0], writer.getKey()).toFile())) {
        writer.getValue().write(out, registry.scrape(), EscapingScheme.ALLOW_UTF8);
      }
    }
  }

  private static Histogram.Builder histogram(String name) {
    return Histogram.builder().name(name).unit(Unit.SECONDS).help("Known values").labelNames("route");
  }

  /** The values of all programs, in thousandths from 0 to 4.999. */
  private static double[] values() {
    double[] values = new double[2000];
    long state = 42;
    for (int i = 0; i < values.length; i++) {
      state = (state * 1103515245 + 12345) % 2147483648L;
      values[i] = (state / 65536 % 5000) / 1000.0;
    }
    return values;
  }
}
