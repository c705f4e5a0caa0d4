/** The configuration that `hdrscope config init` writes. It runs as it is, on any machine. */
export const CONFIG_TEMPLATE = `# hdrscope run hdrscope.yaml
#
# Sources bring histograms, sinks hand them on; whatever comes is added up in one place between them.
# "hdrscope config check" reports what is wrong in this file, "hdrscope config schema" what may be in it.
# \${NAME} and \${NAME:-default} stand for environment variables, here and in every text.

# How long a stop may take.
shutdownTimeout: 10s

sources:
  # Numbers on standard input, separated by blanks or lines: seq 100 | hdrscope run hdrscope.yaml
  - type: stdin
    metric:
      name: stdin.duration
      unit: ms            # ns, us, ms, s, bytes, KiB or none. Times are shown in seconds, sizes in bytes
    attributes:
      source: stdin

  # Numbers that programs write into a named pipe, which mkfifo has made: mydb -l > /run/hdrscope/latencies
  # - name: latencies
  #   type: pipe
  #   path: /run/hdrscope/latencies
  #   metric:
  #     name: mydb.duration
  #     unit: us

  # An interval log, followed as it grows. The metric is for logs of other writers than hdrscope.
  # - name: service
  #   type: interval-log
  #   path: /var/log/service/latency.hlog
  #   since: now          # beginning: what is there already counts, too
  #   metric:
  #     name: service.duration
  #     unit: ns

  # Daemons of Ceph: those of all sockets in a folder, or of one socket.
  # - name: osds
  #   type: ceph
  #   socket: /var/run/ceph
  #   merged: true        # all daemons together, too

  # A map in which an eBPF program counts: "hdrscope ebpf list" shows them.
  # - name: queue
  #   type: ebpf-map
  #   map: /sys/fs/bpf/queue_hist
  #   layout: queue-depth

  # The histograms of ebpf_exporter, from the maps that it has in the kernel.
  # - name: block-io
  #   type: ebpf-exporter
  #   config: /etc/ebpf_exporter/biolatency.yaml

  # A program that counts in the kernel: runqueue (by task, cgroup), blockio (by device) or tcprtt (by remote).
  # - name: runqueue
  #   type: ebpf-program
  #   program: runqueue
  #   by: cgroup

  # A bpftrace script, kept running.
  # - name: reads
  #   type: bpftrace
  #   script: 'kprobe:vfs_read { @read = hist(arg2); }'
  #   maps: { '@read': { unit: bytes, metric: vfs.read.size } }

  # Metrics that OpenTelemetry sends over HTTP.
  # - type: otlp
  #   listen: 127.0.0.1:4318

sinks:
  # http://localhost:9464/metrics
  - type: prometheus
    listen: localhost:9464

  # A log that all tools of HdrHistogram read.
  # - type: interval-log
  #   path: /var/log/hdrscope/all.hlog
  #   interval: 10s
  #   rotation:
  #     every: 1d
  #     keep: 14
  #     gzip: true

  # Parquet files with all distributions, for months: "hdrscope query FOLDER" asks them.
  # - type: history
  #   folder: /var/lib/hdrscope/history
  #   interval: 1m

  # The same in a table: "npm install pg" first, or "npm install @clickhouse/client" for clickhouse.
  # - name: table
  #   type: history
  #   postgres:
  #     url: postgres://hdrscope@localhost/metrics
  #     create: true

  # OpenTelemetry's protocol: http/protobuf, http/json or grpc.
  # - type: otlp
  #   protocol: http/protobuf
  #   url: http://localhost:4318/v1/metrics
  #   headers:
  #     authorization: Bearer \${OTLP_TOKEN}
  #   interval: 30s

  # Prometheus' remote write 2: histograms of the kernel and of Ceph with their own boundaries.
  # - type: remote-write
  #   url: http://localhost:9090/api/v1/write
  #   labels:
  #     instance: this-host

  # Asked by "ceph --admin-daemon PATH perf histogram dump", and by collectd.
  # - type: admin-socket
  #   path: /run/hdrscope/hdrscope.asok

  # A page that shows it live.
  # - type: dashboard
  #   listen: 127.0.0.1:9465

  # Whether all of these work: /health names those that do not.
  # - type: health
  #   listen: 127.0.0.1:9466
`;
