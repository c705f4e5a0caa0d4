import com.datadoghq.sketch.ddsketch.DDSketch;
import com.datadoghq.sketch.ddsketch.encoding.GrowingByteArrayOutput;
import com.datadoghq.sketch.ddsketch.mapping.CubicallyInterpolatedMapping;
import com.datadoghq.sketch.ddsketch.mapping.IndexMapping;
import com.datadoghq.sketch.ddsketch.mapping.LinearlyInterpolatedMapping;
import com.datadoghq.sketch.ddsketch.mapping.LogarithmicMapping;
import com.datadoghq.sketch.ddsketch.mapping.QuadraticallyInterpolatedMapping;
import com.datadoghq.sketch.ddsketch.store.Bin;
import com.datadoghq.sketch.ddsketch.store.CollapsingLowestDenseStore;
import com.datadoghq.sketch.ddsketch.store.PaginatedStore;
import com.datadoghq.sketch.ddsketch.store.SparseStore;
import com.datadoghq.sketch.ddsketch.store.Store;
import com.datadoghq.sketch.ddsketch.store.UnboundedSizeDenseStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Makes DDSketches with sketches-java. A line of input is {@code MAPPING STORE ACCURACY VALUE:COUNT,… QUANTILE,…}; its answer is
 * a line of JSON, as tools/peers/sketches-go writes it.
 */
public final class Peer {
  private static IndexMapping mapping(String name, double accuracy) {
    switch (name) {
      case "LINEAR":
        return new LinearlyInterpolatedMapping(accuracy);
      case "QUADRATIC":
        return new QuadraticallyInterpolatedMapping(accuracy);
      case "CUBIC":
        return new CubicallyInterpolatedMapping(accuracy);
      default:
        return new LogarithmicMapping(accuracy);
    }
  }

  private static Supplier<Store> store(String name) {
    switch (name) {
      case "sparse":
        return SparseStore::new;
      case "collapsing":
        return () -> new CollapsingLowestDenseStore(64);
      case "paginated":
        return PaginatedStore::new;
      default:
        return UnboundedSizeDenseStore::new;
    }
  }

  private static void addSlots(List<double[]> slots, DDSketch sketch, Store store, int sign) {
    for (Iterator<Bin> bins = store.getAscendingIterator(); bins.hasNext(); ) {
      Bin bin = bins.next();
      double lower = sketch.getIndexMapping().lowerBound(bin.getIndex());
      double upper = sketch.getIndexMapping().upperBound(bin.getIndex());
      slots.add(sign > 0 ? new double[] {lower, upper, bin.getCount()} : new double[] {-upper, -lower, bin.getCount()});
    }
  }

  private static String base64(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      DDSketch sketch = new DDSketch(mapping(words[0], Double.parseDouble(words[2])), store(words[1]));
      for (String value : words[3].split(",")) {
        String[] parts = value.split(":");
        sketch.accept(Double.parseDouble(parts[0]), Double.parseDouble(parts[1]));
      }
      List<double[]> slots = new ArrayList<>();
      double total = sketch.getCount();
      double zero = total - sketch.getPositiveValueStore().getTotalCount() - sketch.getNegativeValueStore().getTotalCount();
      double bound = sketch.getIndexMapping().minIndexableValue();
      if (zero > 0) slots.add(new double[] {-bound, bound, zero});
      addSlots(slots, sketch, sketch.getPositiveValueStore(), 1);
      addSlots(slots, sketch, sketch.getNegativeValueStore(), -1);
      slots.sort((a, b) -> Double.compare(a[0], b[0]));
      double[] quantiles = Arrays.stream(words[4].split(",")).mapToDouble(Double::parseDouble).toArray();
      GrowingByteArrayOutput encoded = GrowingByteArrayOutput.withDefaultInitialCapacity();
      sketch.encode(encoded, false);
      byte[] trimmed = encoded.trimmedCopy();
      System.out.println(
          "{\"bytes\":\"" + base64(sketch.serialize())
              + "\",\"encoded\":\"" + Base64.getEncoder().encodeToString(trimmed)
              + "\",\"slots\":" + slots.stream().map(Arrays::toString).collect(Collectors.joining(",", "[", "]"))
              + ",\"quantiles\":" + Arrays.toString(sketch.getValuesAtQuantiles(quantiles)) + "}");
    }
  }
}
