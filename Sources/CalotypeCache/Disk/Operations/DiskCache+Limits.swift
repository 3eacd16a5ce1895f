import CalotypeSupport

extension DiskCache {
    /// The most bytes that the entries may have together in this directory; `nil` before it is open.
    package var sizeLimit: Int? {
        front.withLock { $0.rules?.sizeLimit }
    }

    /// The limits and the expiry that are in force; `nil` before the directory is open.
    ///
    /// Its size limit is the one that was worked out where nobody has set one.
    public var settings: DiskSettings? {
        front.withLock { front in
            front.rules.map { rules in
                DiskSettings(
                    sizeLimit: rules.sizeLimit,
                    countLimit: rules.countLimit == .max ? nil : rules.countLimit,
                    expiry: rules.expiry
                )
            }
        }
    }
}
