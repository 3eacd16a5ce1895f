/// Statistics in the text format of Prometheus (0.0.4).
public enum PrometheusText {
    /// The type of the text.
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text of a moment; the same values give the same text.
    public static func text(_ statistics: StatisticsSnapshot, _ readings: ServiceReadings) -> String {
        var page = MetricsPage()
        page.add(statistics)
        page.addLatencies(of: statistics)
        page.add(readings)
        if let workers = readings.workers { page.add(workers) }
        return page.text
    }
}

/// A text of metrics that grows.
private struct MetricsPage {
    private(set) var text = ""

    /// The lines of one metric: what it is, and its samples.
    mutating func metric(_ name: String, _ type: String, _ help: String, _ samples: [(String, Double)]) {
        text += "# HELP calotype_\(name) \(help)\n# TYPE calotype_\(name) \(type)\n"
        for (labels, value) in samples { sample(name, labels, value) }
    }

    mutating func sample(_ name: String, _ labels: String, _ value: Double) {
        text += "calotype_\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(value))\n"
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
            "Answers by their status.",
            statistics.statusCounts.sorted { $0.key < $1.key }.map {
                (Self.label("status", "\($0.key)"), Double($0.value))
            }
        )
        let lookups = StatisticsSnapshot.Tier.allCases.flatMap { tier in
            StatisticsSnapshot.Outcome.allCases.compactMap { outcome -> (String, Double)? in
                let count = statistics.count(tier, outcome)
                guard count > 0 || statistics.tiers.contains(tier) else { return nil }
                let labels = [Self.label("tier", tier.rawValue), Self.label("outcome", outcome.rawValue)]
                return (labels.joined(separator: ","), Double(count))
            }
        }
        metric("cache_lookups_total", "counter", "Lookups by tier and outcome.", lookups)
        metric(
            "errors_total",
            "counter",
            "Answers that were errors, by their code.",
            statistics.errorCounts.sorted { $0.key < $1.key }.map {
                (Self.label("code", $0.key), Double($0.value))
            }
        )
        metric(
            "response_bytes_total",
            "counter",
            "Bytes of bodies.",
            [("", Double(statistics.byteCount))]
        )
    }

    mutating func addLatencies(of statistics: StatisticsSnapshot) {
        let latencies = statistics.latencies.map { ($0.key?.rawValue ?? "none", $0.value) }
        histogram("request_duration_seconds", "How long answers took.", label: "cache", latencies)
        let steps = statistics.steps.map { ($0.key, $0.value) }
        histogram("step_duration_seconds", "How long the steps of the work took.", label: "step", steps)
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
        let load = readings.load
        metric("ready", "gauge", "1 where requests may be sent here.", [("", readings.isReady ? 1 : 0)])
        metric(
            "info",
            "gauge",
            "Which version answers.",
            [(Self.label("version", readings.version), 1)]
        )
        metric("uptime_seconds", "gauge", "Since the start.", [("", readings.uptime.seconds)])
        let running = ServiceReadings.Level(load.runningCount, of: load.runningCountMax)
        let waiting = ServiceReadings.Level(load.waitingCount, of: load.waitingCountMax)
        level("work_running", "Pictures being made.", [("", running)])
        level("work_waiting", "Pictures that wait.", [("", waiting)])
        level(
            "work_bytes",
            "Bytes that work under way holds.",
            [("", .init(load.heldByteCount, of: load.byteCountMax))]
        )
        counters(of: load)
        metric("fetches_running", "gauge", "Loads from origins.", [("", Double(readings.fetchCount))])
        counter(
            "source_loads_total",
            "outcome",
            "Loads from origins by outcome.",
            readings.pipeline.sourceLoads
        )
        let failures = readings.pipeline.storeFailures
        counter("disk_failures_total", "operation", "Failures of the disk cache by operation.", failures)
        let unwritten = Double(readings.unwrittenByteCount)
        metric("unwritten_bytes", "gauge", "Bytes that wait to be written.", [("", unwritten)])
        level("memory_cache_bytes", "Bytes of results in memory.", [("", readings.memory)])
        level(
            "disk_cache_bytes",
            "Bytes on disk.",
            readings.disks.sorted { $0.key < $1.key }.map { (Self.label("store", $0.key), $0.value) }
        )
        level("connections", "Connections of clients.", [("", readings.connections)])
        if let resident = readings.residentByteCount {
            metric("resident_bytes", "gauge", "Memory of the process.", [("", Double(resident))])
        }
    }

    private mutating func counter(_ name: String, _ label: String, _ help: String, _ counts: [String: Int]) {
        let samples = counts.sorted { $0.key < $1.key }.map { (Self.label(label, $0.key), Double($0.value)) }
        metric(name, "counter", help, samples)
    }

    private mutating func counters(of load: ServiceLoad) {
        let counts = [
            ("work_started_total", "Pictures that were begun.", load.startedCount),
            ("work_ended_total", "Those of them that have ended.", load.endedCount),
            ("decodes_total", "Decodes that were begun.", load.decodeCount),
        ]
        for (name, help, count) in counts { metric(name, "counter", help, [("", Double(count))]) }
    }

    mutating func add(_ workers: ServiceReadings.Workers) {
        let counts: [(String, String, String, Int)] = [
            ("codec_workers", "gauge", "Processes that codecs work in.", workers.processCount),
            ("codec_workers_busy", "gauge", "Those that do a job.", workers.busyCount),
            ("codec_workers_started_total", "counter", "Those that were started.", workers.startedCount),
            ("codec_jobs_total", "counter", "Jobs of codecs.", workers.jobCount),
        ]
        for (name, type, help, count) in counts { metric(name, type, help, [("", Double(count))]) }
        metric(
            "codec_workers_replaced_total",
            "counter",
            "Those that another has taken the place of, by the reason.",
            workers.replacedCounts.sorted { $0.key < $1.key }.map {
                (Self.label("reason", $0.key), Double($0.value))
            }
        )
    }

    /// Two metrics: how much there is, and the most of it.
    private mutating func level(_ name: String, _ help: String, _ levels: [(String, ServiceReadings.Level)]) {
        metric(name, "gauge", help, levels.map { ($0.0, Double($0.1.value)) })
        let limits = levels.compactMap { labels, level in level.limit.map { (labels, Double($0)) } }
        if !limits.isEmpty { metric("\(name)_limit", "gauge", "The most of it.", limits) }
    }
}
