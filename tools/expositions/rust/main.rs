//! Writes what the crate prometheus-client exposes for known values: `cargo run -- FOLDER`. See ../README.md.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

type Labels = Vec<(String, String)>;

fn main() {
    let folder = std::env::args().nth(1).expect("the folder");
    let mut registry = Registry::default();
    let classic = Family::<Labels, Histogram>::new_with_constructor(|| Histogram::new([0.005, 0.1, 0.25, 0.5, 1.0, 2.5]));
    registry.register_with_unit("classic", "Known values", Unit::Seconds, classic.clone());
    for (i, value) in values().enumerate() {
        // This release does not escape quotes in labels.
        let route = ["/a", "/b"][i % 2];
        classic.get_or_create(&vec![("route".to_owned(), route.to_owned())]).observe(value);
    }
    let mut text = String::new();
    encode(&mut text, &registry).expect("the text");
    std::fs::write(format!("{folder}/rust.openmetrics.txt"), text).expect("the file");
}

/// The values of all programs, in thousandths from 0 to 4.999.
fn values() -> impl Iterator<Item = f64> {
    let mut state: u64 = 42;
    (0..2000).map(move |_| {
        state = (state * 1103515245 + 12345) % 2147483648;
        (state / 65536 % 5000) as f64 / 1000.0
    })
}
