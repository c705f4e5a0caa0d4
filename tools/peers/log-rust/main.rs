//! Reads and writes interval logs with the `hdrhistogram` crate. The protocol is that of tools/peers/README.md.

use base64::{engine::general_purpose::STANDARD, Engine};
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};
use hdrhistogram::Histogram;
use std::io::{self, BufRead};
use std::time::{Duration, UNIX_EPOCH};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    match (args.get(1).map(String::as_str), args.get(2)) {
        (Some("read"), Some(file)) => read(file),
        (Some("write"), Some(file)) => write(file),
        _ => Err("usage: log-peer read|write FILE".into()),
    }
}

fn read(file: &str) -> Result<(), Box<dyn Error>> {
    let log = fs::read(file)?;
    let mut base_ms = 0;
    for entry in IntervalLogIterator::new(&log) {
        match entry.map_err(|error| format!("{error:?}"))? {
            LogEntry::BaseTime(base) => base_ms = base.as_millis(),
            LogEntry::StartTime(_) => {}
            LogEntry::Interval(interval) => {
                let bytes = STANDARD.decode(interval.encoded_histogram())?;
                let histogram: Histogram<u64> = Deserializer::new()
                    .deserialize(&mut io::Cursor::new(&bytes))
                    .map_err(|error| format!("{error:?}"))?;
                let start_ms = base_ms + interval.start_timestamp().as_millis();
                let end_ms = start_ms + interval.duration().as_millis();
                let tag = interval.tag().map_or("-", |tag| tag.as_str());
                print!("{tag}\t{start_ms}\t{end_ms}\t{}", histogram.len());
                for quantile in [0.5, 0.9, 0.99, 0.999] {
                    print!("\t{}", histogram.value_at_quantile(quantile));
                }
                println!("\t{}", histogram.max());
            }
        }
    }
    Ok(())
}

fn write(file: &str) -> Result<(), Box<dyn Error>> {
    let intervals: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let base_ms: u64 = field(&intervals[0], 1).parse()?;
    let base = UNIX_EPOCH + Duration::from_millis(base_ms);
    let mut log = fs::File::create(file)?;
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    builder.add_comment("written by the hdrhistogram crate");
    builder.with_start_time(base).with_base_time(base).with_max_value_divisor(1e6);
    let mut writer = builder.begin_log_with(&mut log, &mut serializer)?;
    for interval in &intervals {
        let (start_ms, end_ms): (u64, u64) = (field(interval, 1).parse()?, field(interval, 2).parse()?);
        let mut histogram = Histogram::<u64>::new_with_max(field(interval, 4).parse()?, field(interval, 3).parse()?)?;
        for value in field(interval, 5).split(' ') {
            histogram.record(value.parse()?)?;
        }
        let tag = Some(field(interval, 0)).filter(|tag| *tag != "-").and_then(Tag::new);
        let (start, length) = (Duration::from_millis(start_ms - base_ms), Duration::from_millis(end_ms - start_ms));
        writer
            .write_histogram(&histogram, start, length, tag)
            .map_err(|error| format!("{error:?}"))?;
    }
    Ok(())
}

fn field(line: &str, index: usize) -> &str {
    line.split('\t').nth(index).unwrap_or_default()
}
