import CalotypeCore
import CalotypeSupport
import FoundationEssentials
import Glibc

/// Opening a directory and walking through it; all of it blocks.
extension DiskCache {
    private static let sizeLimitMax = 1 << 30
    private static let sizeLimitMin = 64 << 20

    /// Finds the rules, clears what dead writers left, and starts to count the entries.
    ///
    /// Never fails: a directory that cannot be used fully is used as far as it can be, and one that is not to
    /// be trusted not at all.
    func openDirectory() {
        guard isTrusted() else { return }
        loadRules()
        sweep()
        startScan()
    }

    /// Writes the configuration's settings into the directory, or takes the directory's own.
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
        state.withLock { [problem] state in
            state.rules = rules
            state.openingError = problem
        }
    }

    private func rules(for settings: DiskSettings) -> DiskRules {
        DiskRules(
            sizeLimit: settings.sizeLimit ?? Self.sizeLimitMax,
            countLimit: settings.countLimit ?? .max,
            expiry: settings.expiry,
            pendingDefault: settings.sizeLimit == nil ? defaultSizeLimit() : nil
        )
    }

    /// A tenth of what is free, but 64 MiB at least and 1 GiB at most.
    private func defaultSizeLimit() -> Int {
        var folder: String? = layout.base
        while let path = folder {
            do {
                let share = try fileSystem.freeByteCount(at: path) / 10
                return min(Self.sizeLimitMax, max(Self.sizeLimitMin, share))
            } catch  where error.isAbsence {
                folder = path.parentFolder
            } catch {
                break
            }
        }
        return Self.sizeLimitMax
    }

    private func sweep() {
        do {
            let sweep = AbandonedFilesSweep(fileSystem: fileSystem, layout: layout, remover: remover)
            let swept = try sweep.run()
            state.withLock { state in
                state.statistics.sweptFileCount += swept.fileCount
                state.statistics.maintenanceFailureCount += swept.failureCount
            }
        } catch {
            state.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
    }
}
