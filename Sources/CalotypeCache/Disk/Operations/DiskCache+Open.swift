import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Opening a directory and counting its entries; all of it blocks.
extension DiskCache {
    private static let maxSizeLimit = 1 << 30
    private static let minSizeLimit = 64 << 20

    /// Loads the rules, cleans up after dead writers, and starts counting the entries.
    ///
    /// Never fails: a directory is used as far as possible, and an untrusted one not at all.
    func openDirectory() {
        guard isTrusted() else { return }
        loadRules()
        guard !front.withLock(\.isRefused) else { return }
        sweepAbandonedFiles()
        lookForNeighbours()
        count()
    }

    /// Starts counting all entries, again if that was done before.
    func count() {
        state.withLock { $0.walk.begin() }
        maintain()
    }

    /// Writes the configuration's settings into the directory, or reads those stored in it.
    func loadRules() {
        var problem: DiskCacheError?
        var settings = configuration.settings
        do throws(DiskCacheError) {
            if let settings {
                try writeSettings(settings)
            } else {
                settings = try readSettings()
            }
        } catch {
            problem = error
        }
        let rules = rules(for: settings ?? DiskSettings())
        front.withLock { [problem] front in
            front.rules = problem?.code == .untrustedDirectory ? nil : rules
            front.openingError = problem
        }
    }

    /// Writes rules into the directory and applies them; excess entries are then evicted in the background.
    func put(_ settings: DiskSettings) throws(DiskCacheError) {
        try writeSettings(settings)
        var rules = rules(for: settings)
        let (isCounted, usage) = state.withLock { ($0.walk.isCounted, $0.usage) }
        // If not counted yet, the end of the count does it.
        if isCounted { rules.settleDefault(byteCount: usage.byteCount) }
        front.withLock { [rules] in $0.rules = rules }
        state.withLock { [rules] state in state.owesEviction = state.owesEviction || state.isExceeded(rules) }
    }

    private func rules(for settings: DiskSettings) -> DiskRules {
        DiskRules(
            sizeLimit: settings.sizeLimit ?? Self.maxSizeLimit,
            countLimit: settings.countLimit ?? .max,
            expiry: settings.expiry,
            pendingDefault: settings.sizeLimit == nil ? defaultSizeLimit() : nil
        )
    }

    /// Returns a tenth of the free space, at least 64 MiB and at most 1 GiB.
    private func defaultSizeLimit() -> Int {
        var folder: String? = layout.base
        while let path = folder {
            do {
                let share = try fileSystem.freeByteCount(at: path) / 10
                return min(Self.maxSizeLimit, max(Self.minSizeLimit, share))
            } catch  where error.isAbsence {
                folder = path.parentFolder
            } catch {
                break
            }
        }
        return Self.maxSizeLimit
    }

    private func sweepAbandonedFiles() {
        do {
            take(try sweep.run(leavesAsides: true))
            emptyAsidesInBackground()
        } catch {
            front.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
    }
}
