internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport

/// The parameters of a load into a slot.
struct SlotLoad: Sendable {
    let request: ImageRequest?
    let placeholder: SlotPlaceholder
    let replacing: SlotReplacement
}

extension ImageSlot {
    /// Begins a load, in the isolation that its outlet must be used in.
    func begin(_ load: SlotLoad, _ outlet: SlotOutlet, isolation: isolated (any Actor)?) {
        guard let request = load.request else {
            cancel()
            let number = state.withLock { state in
                state.request = nil
                return state.claimDelivery()
            }
            _ = outlet.show(load.placeholder.contentWithoutRequest, self, number)
            return
        }
        guard let id = register(request, load, target: outlet.identity) else { return }
        if let image = source.residentImage(request) {
            guard let number = claimResult(of: id) else { return }
            _ = outlet.show(.result(LoadedImage(image: image, source: .memory)), self, number)
            return
        }
        if let content = load.placeholder.contentAtStart, let number = claim(of: id) {
            _ = outlet.show(content, self, number)
        }
        // The target may have cancelled, or loaded something else, while it showed the placeholder.
        guard let running = state.withLock({ $0.running[id] }) else { return }
        start(
            id,
            source.events(request, running.priority),
            placeholder: load.placeholder,
            outlet: outlet,
            isolation: isolation
        )
    }

    /// Registers a load and cancels those it replaces; `nil` if the same is loading already.
    private func register(
        _ request: ImageRequest,
        _ load: SlotLoad,
        target: SlotTargetIdentity
    ) -> SlotLedger.LoadID? {
        // Compared outside the lock, because a reference to a target may turn out to be its last.
        let newest = state.withLock { $0.newest }
        let same = newest.flatMap { $0.running.target.isSame(as: target) ? $0.id : nil }
        let (beginning, ended) = state.withLock { state -> (SlotLedger.Beginning, [Running]) in
            state.request = request
            let beginning = state.ledger.begin(request, replacing: load.replacing, ofSameTarget: same)
            guard case .starts(let id, let cancelled) = beginning else { return (beginning, []) }
            state.running[id] = Running(priority: LivePriority(request.priority), target: target)
            return (beginning, state.take(cancelled))
        }
        for load in ended { load.task?.cancel() }
        switch beginning {
        case .starts(let id, _):
            return id
        case .continues:
            newest?.running.priority.value = request.priority
            return nil
        }
    }

    private func start(
        _ id: SlotLedger.LoadID,
        _ events: any AsyncSequence<ImageEvent, any Error> & Sendable,
        placeholder: SlotPlaceholder,
        outlet: SlotOutlet,
        isolation: isolated (any Actor)?
    ) {
        // The task holds the slot only during a delivery, so that releasing the slot cancels the task.
        let task = Task { [weak self] in
            _ = isolation
            let error = await Self.consume(events) { self?.deliver($0, of: id, to: outlet) ?? false }
            guard let error, let self, let number = self.claimFailure(of: id) else { return }
            _ = outlet.show(placeholder.content(after: error), self, number)
        }
        // The load may have ended before its task was stored.
        let isLate = state.withLock { state in
            guard state.ledger.isCurrent(id) else { return true }
            state.running[id]?.task = task
            return false
        }
        if isLate { task.cancel() }
    }

    /// Delivers events until one is not wanted or none is left.
    ///
    /// - Returns: The error, if there was no result; `nil` if there was one or it is not wanted any more.
    private static func consume(
        _ events: some AsyncSequence<ImageEvent, any Error>,
        _ deliver: (ImageEvent) -> Bool
    ) async -> (any Error)? {
        do {
            for try await event in events {
                guard deliver(event) else { return nil }
            }
            return CancellationError()
        } catch {
            return error
        }
    }

    /// Delivers an event; returns false if no further one is wanted.
    private func deliver(_ event: ImageEvent, of id: SlotLedger.LoadID, to outlet: SlotOutlet) -> Bool {
        let lives: Bool
        switch event {
        case .progress(let progress):
            guard state.withLock({ $0.ledger.isNewest(id) }) else { return isCurrent(id) }
            lives = outlet.report(progress, self)
        case .preview(let image):
            guard let number = claim(of: id) else { return isCurrent(id) }
            lives = outlet.show(.preview(image), self, number)
        case .finished(let loaded):
            if let number = claimResult(of: id) { _ = outlet.show(.result(loaded), self, number) }
            return false
        }
        if !lives { _ = claimFailure(of: id) }
        return lives && isCurrent(id)
    }

    private func isCurrent(_ id: SlotLedger.LoadID) -> Bool {
        state.withLock { $0.ledger.isCurrent(id) }
    }

    /// Returns the number of a delivery that is not a result; `nil` if a newer load has begun.
    private func claim(of id: SlotLedger.LoadID) -> Int? {
        state.withLock { $0.ledger.isNewest(id) ? $0.claimDelivery() : nil }
    }

    /// Ends a load that has its result, and those before it.
    ///
    /// - Returns: The number of the delivery; `nil` if the load may not show it.
    private func claimResult(of id: SlotLedger.LoadID) -> Int? {
        let claim = state.withLock { state -> (number: Int, ended: [Running])? in
            guard state.ledger.isCurrent(id) else { return nil }
            let late = state.ledger.finish(id)
            state.running[id] = nil
            return (state.claimDelivery(), state.take(late))
        }
        for load in claim?.ended ?? [] { load.task?.cancel() }
        return claim?.number
    }

    /// Ends a load without a result.
    ///
    /// - Returns: The number of the delivery; `nil` if the load was replaced, or a newer one is loading.
    private func claimFailure(of id: SlotLedger.LoadID) -> Int? {
        state.withLock { state in
            let tells = state.ledger.isNewest(id)
            state.ledger.fail(id)
            state.running[id] = nil
            return tells ? state.claimDelivery() : nil
        }
    }
}
