import Calotype
import CalotypeCodecs

/// Statistics in the text format of Prometheus (0.0.4).
package enum PrometheusText {
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the text for a snapshot; equal values give equal text.
    package static func text(_ statistics: StatisticsSnapshot, _ readings: ServiceReadings) -> String {
        var page = MetricsPage()
        page.add(statistics)
        page.addLatencies(of: statistics)
        page.add(readings)
        if let workers = readings.workers { page.add(workers) }
        return page.text
    }
}

private struct MetricsPage {
    private(set) var text = ""

    /// Appends the lines of one metric: its help, its type and its samples.
    mutating func metric(_ name: String, _ type: String, _ help: String, _ samples: [(String, Double)]) {
        text += "# HELP \(Self.full(name)) \(help)\n# TYPE \(Self.full(name)) \(type)\n"
        for (labels, value) in samples { sample(name, labels, value) }
    }

    mutating func sample(_ name: String, _ labels: String, _ value: Double) {
        text += "\(Self.full(name))\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(value))\n"
    }

    /// Returns the name with this service's prefix, unless it is a standard name of Prometheus.
    private static func full(_ name: String) -> String {
        name.hasPrefix("process_") ? name : "calotype_\(name)"
    }

    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        return Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    static func label(_ name: String, _ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
        return "\(name)=\"\(escaped)\""
    }
}

extension MetricsPage {
    mutating func add(_ statistics: StatisticsSnapshot) {
        metric(
            "requests_total",
            "counter",
            "HTTP responses of the image listener by status.",
            statistics.statusCounts.sorted { $0.key < $1.key }.map {
                (Self.label("status", "\($0.key)"), Double($0.value))
            }
        )
        let lookups = ServiceStatistics.Tier.allCases.flatMap { tier in
            StatisticsSnapshot.Outcome.allCases.compactMap { outcome -> (String, Double)? in
                let count = statistics.count(tier, outcome)
                guard count > 0 || statistics.tiers.contains(tier) else { return nil }
                let labels = [Self.label("tier", tier.rawValue), Self.label("outcome", outcome.rawValue)]
                return (labels.joined(separator: ","), Double(count))
            }
        }
        metric("cache_lookups_total", "counter", "Cache lookups by tier and outcome.", lookups)
        metric(
            "errors_total",
            "counter",
            "HTTP responses that were errors, by error code.",
            statistics.errorCounts.sorted { $0.key < $1.key }.map {
                (Self.label("code", $0.key), Double($0.value))
            }
        )
        metric(
            "response_bytes_total",
            "counter",
            "Bytes of HTTP response bodies.",
            [("", Double(statistics.byteCount))]
        )
    }

    mutating func addLatencies(of statistics: StatisticsSnapshot) {
        let latencies = statistics.latencies.map { ($0.key?.rawValue ?? "none", $0.value) }
        histogram(
            "request_duration_seconds",
            "Duration of HTTP requests in seconds, by where the image came from.",
            label: "cache",
            latencies
        )
        let steps = statistics.steps.map { ($0.key, $0.value) }
        histogram(
            "step_duration_seconds",
            "Duration of the processing steps in seconds, by step.",
            label: "step",
            steps
        )
    }

    private mutating func histogram(
        _ name: String,
        _ help: String,
        label: String,
        _ parts: [(String, LatencyHistogram)]
    ) {
        metric(name, "histogram", help, [])
        for (part, histogram) in parts.sorted(by: { $0.0 < $1.0 }) {
            let own = Self.label(label, part)
            var count = 0
            for (index, limit) in (LatencyHistogram.limits + [.infinity]).enumerated() {
                count += histogram.counts[index]
                let bound = Self.label("le", Self.number(limit))
                sample("\(name)_bucket", "\(own),\(bound)", Double(count))
            }
            sample("\(name)_sum", own, histogram.sum)
            sample("\(name)_count", own, Double(count))
        }
    }

    mutating func add(_ readings: ServiceReadings) {
        metric(
            "ready",
            "gauge",
            "1 if the service accepts requests, 0 while it starts or drains.",
            [("", readings.isReady ? 1 : 0)]
        )
        metric(
            "info",
            "gauge",
            "Version of the service; always 1.",
            [(Self.label("version", readings.version), 1)]
        )
        metric(
            "uptime_seconds",
            "gauge",
            "Seconds since the service was started.",
            [("", readings.uptime.seconds)]
        )
        addWork(readings)
        addCaches(readings)
        addProcess(readings)
        level("connections", "Open connections of clients", [("", readings.connections)])
    }

    private mutating func addWork(_ readings: ServiceReadings) {
        let load = readings.load
        let running = ServiceReadings.Level(load.runningCount, of: load.maxRunningCount)
        let waiting = ServiceReadings.Level(load.waitingCount, of: load.maxWaitingCount)
        level("work_running", "Images being processed", [("", running)])
        level("work_waiting", "Images waiting to be processed", [("", waiting)])
        level(
            "work_bytes",
            "Bytes of pixels held by images being processed",
            [("", .init(load.heldByteCount, of: load.maxByteCount))]
        )
        counters(of: load)
        metric(
            "fetches_running",
            "gauge",
            "Loads from origins in progress.",
            [("", Double(readings.fetchCount))]
        )
        counter(
            "source_loads_total",
            "outcome",
            "Loads from origins since the start, by outcome.",
            readings.pipeline.sourceLoads
        )
    }

    private mutating func addCaches(_ readings: ServiceReadings) {
        let failures = readings.pipeline.storeFailures
        counter(
            "disk_failures_total",
            "operation",
            "Failures of the disk cache since the start, by operation.",
            failures
        )
        let unwritten = Double(readings.unwrittenByteCount)
        metric(
            "unwritten_bytes",
            "gauge",
            "Bytes of results waiting to be written to the disk cache.",
            [("", unwritten)]
        )
        level("memory_cache_bytes", "Bytes of results in the memory cache", [("", readings.memory)])
        level(
            "disk_cache_bytes",
            "Bytes in the disk cache, by store",
            readings.disks.sorted { $0.key < $1.key }.map { (Self.label("store", $0.key), $0.value) }
        )
        counter(
            "evictions_total",
            "tier",
            "Entries evicted to keep the limits of a cache, by tier.",
            readings.evictionCounts
        )
    }

    private mutating func addProcess(_ readings: ServiceReadings) {
        if !readings.reloadCounts.isEmpty {
            counter(
                "reloads_total",
                "outcome",
                "Reloads of the settings (SIGHUP) since the start, by outcome.",
                readings.reloadCounts
            )
        }
        if let resident = readings.residentByteCount {
            let help = "Resident memory of the service in bytes, without its codec workers."
            metric("process_resident_memory_bytes", "gauge", help, [("", Double(resident))])
            metric("resident_bytes", "gauge", help, [("", Double(resident))])
        }
        let time = readings.processorTime.seconds
        let help = "Processor time of the service in seconds, without its codec workers."
        metric("process_cpu_seconds_total", "counter", help, [("", time)])
        guard let descriptors = readings.descriptors else { return }
        metric("process_open_fds", "gauge", "Open file descriptors.", [("", Double(descriptors.value))])
        guard let limit = descriptors.limit else { return }
        metric("process_max_fds", "gauge", "Limit: open file descriptors.", [("", Double(limit))])
    }

    private mutating func counter(_ name: String, _ label: String, _ help: String, _ counts: [String: Int]) {
        let samples = counts.sorted { $0.key < $1.key }.map { (Self.label(label, $0.key), Double($0.value)) }
        metric(name, "counter", help, samples)
    }

    private mutating func counters(of load: ImagePipeline.Workload) {
        let counts = [
            ("work_started_total", "Images whose processing has started.", load.startedCount),
            ("work_ended_total", "Images whose processing has ended, successfully or not.", load.endedCount),
            ("decodes_total", "Decodes of originals that have started.", load.decodeCount),
        ]
        for (name, help, count) in counts { metric(name, "counter", help, [("", Double(count))]) }
    }

    mutating func add(_ workers: CodecWorkerStatistics) {
        let counts: [(String, String, String, Int)] = [
            ("codec_workers", "gauge", "Running codec worker processes.", workers.processCount),
            ("codec_workers_busy", "gauge", "Codec worker processes executing a job.", workers.busyCount),
            (
                "codec_workers_started_total", "counter",
                "Codec worker processes started since the start of the service.", workers.startedCount
            ),
            (
                "codec_workers_memory_bytes", "gauge", "Memory of all codec worker processes in bytes.",
                workers.memoryByteCount
            ),
            ("codec_jobs_total", "counter", "Jobs started by codec worker processes.", workers.jobCount),
        ]
        for (name, type, help, count) in counts { metric(name, type, help, [("", Double(count))]) }
        metric(
            "codec_workers_replaced_total",
            "counter",
            "Replaced codec worker processes, by reason.",
            workers.replacedCounts.sorted { $0.key < $1.key }.map {
                (Self.label("reason", $0.key), Double($0.value))
            }
        )
    }

    private func lowered(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    /// Appends two metrics: the current value and its limit.
    private mutating func level(_ name: String, _ help: String, _ levels: [(String, ServiceReadings.Level)]) {
        metric(name, "gauge", help + ".", levels.map { ($0.0, Double($0.1.value)) })
        let limits = levels.compactMap { labels, level in level.limit.map { (labels, Double($0)) } }
        if !limits.isEmpty { metric("\(name)_limit", "gauge", "Limit: \(lowered(help)).", limits) }
    }
}
