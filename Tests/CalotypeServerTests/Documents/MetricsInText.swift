import Calotype
import CalotypeCodecs

@testable import CalotypeServer

/// The series of a metrics page, with the labels of each.
struct ExportedMetrics {
    /// Labels that Prometheus adds when scraping.
    private static let ofScrapes: Set = ["job", "instance"]

    /// The labels by series name; a histogram has three series.
    private(set) var labels: [String: Set<String>] = [:]

    init(_ page: String) {
        for line in page.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE "), words.count == 4 {
                let isHistogram = words[3] == "histogram"
                for end in isHistogram ? ["_bucket", "_sum", "_count"] : [""] {
                    labels[words[2] + end, default: []].formUnion(Self.ofScrapes)
                }
            } else if !line.hasPrefix("#") {
                labels[String(line.prefix { $0 != "{" && $0 != " " }), default: []]
                    .formUnion(line.matches(of: /([a-z]+)="/).map { String($0.1) })
            }
        }
    }

    var allLabels: Set<String> { labels.values.reduce(into: []) { $0.formUnion($1) } }

    private func hasMetric(_ name: String) -> Bool {
        labels[name] != nil || labels["\(name)_count"] != nil
    }

    /// The metrics named in a text that the page lacks, and their labels in selectors and in `by (…)`.
    ///
    /// - Parameters:
    ///   - text: An expression, a rule or a document.
    ///   - others: Third-party metrics that the text may name.
    /// - Returns: The missing names.
    func missing(in text: String, besides others: Set<String> = []) -> Set<String> {
        var missing: Set<String> = []
        for match in text.matches(of: /\b(calotype_[a-z0-9_]*)(\{[^{}]*\})?/) {
            let name = String(match.1)
            guard hasMetric(name) else {
                if !others.contains(name) { missing.insert(name) }
                continue
            }
            let known = labels[name] ?? labels["\(name)_bucket"] ?? []
            // Without label values, which may contain any word.
            let selector = String(match.2 ?? "").replacing(/"[^"]*"/, with: "")
            for label in selector.matches(of: /[a-z_]+/).map({ String($0.output) })
            where !known.contains(label) {
                missing.insert("\(name){\(label)}")
            }
        }
        let groupings = text.matches(of: /\b(?:by|without|on) ?\(([a-z_, ]*)\)/).map { String($0.1) }
        let shown = text.matches(of: /\{\{ *(?:\$labels\.)?([a-z_]+) *\}\}/).map { String($0.1) }
        for label in (groupings + shown).flatMap({ $0.matches(of: /[a-z_]+/) }).map({ String($0.output) })
        where !allLabels.contains(label) {
            missing.insert("{\(label)}")
        }
        return missing
    }
}

extension ExportedMetrics {
    /// The metrics of a service with all optional parts.
    static let ofService: ExportedMetrics = {
        var record = ServiceRecord(status: 500, duration: .milliseconds(1))
        (record.cache, record.errorCode) = (.miss, "code")
        record.timings.decode = .milliseconds(1)
        let statistics = ServiceStatistics(tiers: [.memory, .disk])
        statistics.didRespond(record)

        var readings = ServiceReadings()
        readings.load.maxByteCount = 1
        (readings.load.maxRunningCount, readings.load.maxWaitingCount) = (1, 1)
        (readings.memory, readings.connections) = (.init(1, of: 1), .init(1, of: 1))
        readings.disks = ["store": .init(1, of: 1)]
        readings.pipeline.storeFailures = ["read": 1]
        readings.pipeline.sourceLoads = ["loaded": 1]
        readings.residentByteCount = 1
        readings.evictionCounts = ["disk": 1]
        readings.reloadCounts = ["succeeded": 1]
        readings.descriptors = .init(1, of: 1)
        readings.workers = CodecWorkerStatistics()
        return ExportedMetrics(PrometheusText.text(statistics.snapshot, readings))
    }()
}
