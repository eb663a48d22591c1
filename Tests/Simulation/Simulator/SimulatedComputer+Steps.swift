import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import TestSupport

extension SimulatedComputer {
    /// Does one step of the script.
    func run(_ step: Step) {
        random = Seeded(step.seed)
        tell("step \(step.number): \(step.action.rawValue)")
        coverage.mark("step: \(step.action.rawValue)")
        now += 1000
        switch step.action {
        case .mine, .reorganise, .rollBack, .weather, .release, .wait, .turnBack, .loseKey:
            happen(step.action)
        case .crashAll:
            for index in frontEnds.indices { die(index) }
        case .crash:
            let index = below(frontEnds.count)
            if flips() { die(index) } else { frontEnds[index].process?.fate.fuse = below(12) }
        case .fillDisk: frontEnds[below(frontEnds.count)].process?.fate.spaceFuse = below(6)
        default: use(step.action)
        }
        while parked.count > 8 { release(0) }
    }

    /// An event around the computer.
    private func happen(_ action: StepAction) {
        let chain = pick(Chain.allCases)
        switch action {
        case .mine:
            if flips() { sendKept(on: chain) }
            mine(1 + below(flips() ? 3 : 8), on: chain)
        case .reorganise:
            let depth = 1 + below(4)
            let isDone = chain == .icon
                ? onICON { $0.reorganise(depth) != nil } ?? false
                : onChain(chain) { $0.reorganise(depth, at: now) } ?? false
            if isDone { coverage.mark("fault: a reorganisation") }
        case .rollBack:
            // The node is replaced by one with fewer blocks and another mempool.
            if let image = images.removeValue(forKey: chain) {
                chainTables.replace(chain.rawValue, with: image)
                coverage.mark("fault: a node forgets")
            } else {
                images[chain] = chainTables.rows(chain.rawValue)
            }
        case .weather:
            var next = Weather.fine
            for rate in [\Weather.delays, \.fails, \.lies, \.loses, \.refuses] where flips() {
                next[keyPath: rate] = knobs.weather[keyPath: rate]
            }
            weather[chain] = next
            let locks = flips()
            onChain(chain) { $0.switches.withholdsLocks = !locks }
        case .release: if !parked.isEmpty { release(below(parked.count)) }
        case .wait: now += UInt64(1 + below(4000)) * 1_000_000
        case .turnBack:
            now -= UInt64(1 + below(4000)) * 1_000_000
            coverage.mark("fault: the clock goes back")
        default:
            let names = vault.names
            vault.lost =
                vault.lost == nil && !names.isEmpty ? names[below(names.count)] : nil
            coverage.mark("fault: a key is missing")
        }
    }

    /// Lets one of the calls that wait for a node go on.
    func release(_ index: Int) {
        let waiting = parked.remove(at: index)
        waiting.resumption.resume()
        loop.drain()
    }

    // MARK: - Front ends

    /// A front end's program dies; what it has under way comes to nothing.
    func die(_ index: Int) {
        guard let process = frontEnds[index].process else { return }
        process.die()
        coverage.mark("fault: a crash between steps")
        bury(process)
    }

    /// Ends the calls of a crashed program and drops all writes that were not durable.
    func bury(_ process: SimulatedProcess) {
        disk.crash()
        while let index = parked.firstIndex(where: { $0.process === process }) { release(index) }
        for index in frontEnds.indices where frontEnds[index].process === process {
            frontEnds[index].process = nil
            frontEnds[index].store = nil
        }
    }

    /// The store of a front end, opened again if its program has died.
    func store(_ index: Int) -> (Store, SimulatedProcess)? {
        if let process = frontEnds[index].process, process.isDead { bury(process) }
        if let process = frontEnds[index].process, let store = frontEnds[index].store {
            return (store, process)
        }
        processes += 1
        let process = SimulatedProcess(processes, on: disk)
        process.fate.diesAt = { [unowned self] place in
            self.coverage.mark("fault: a crash \(place)")
            self.tell("  program \(process.number) dies \(place)")
        }
        process.fate.foundDiskFull = { [unowned self] in self.coverage.mark("fault: a full disk") }
        do {
            let store = try open(process, named: "front end \(index)")
            frontEnds[index].process = process
            frontEnds[index].store = store
            return (store, process)
        } catch {
            model.find("the store can't be opened: \(error)")
            return nil
        }
    }

    private func open(_ process: SimulatedProcess, named name: String) throws -> Store {
        // Only the one thread of the simulation touches it.
        nonisolated(unsafe) unowned let computer = self
        let settings = knobs.settings
        var parts = StoreParts(
            log: { try EventLog(in: process) }, sandbox: { computer.chainStorage },
            keystore: vault, sendLock: { try computer.takeSendLock(of: $0, for: process) },
            settings: { settings })
        if let plant { parts.decide = plant.decide }
        parts.client = { chain, network, embedded in
            SimulatedNode(
                chain: chain, network: network, embedded: embedded, computer: computer,
                process: process)
        }
        var options = StoreOptions()
        options.clock = {
            computer.now += 1
            return computer.now
        }
        options.run = { [loop] work in loop.start(soon: { work()() }) }
        options.pause = { seconds in
            computer.now += UInt64(seconds) * 1_000_000
            await computer.delay(.dash, process, "while waiting")
        }
        return try Store(parts, at: "", frontEnd: name, options: options)
    }

    /// Calls a store, which may be busy with other calls, and returns when all of them wait.
    ///
    /// A call that is not waited for begins together with the next one.
    func call(
        _ index: Int, _ name: String, waits: Bool = true,
        _ body: @escaping (Store) async throws -> String
    ) {
        guard let (store, process) = store(index) else { return }
        nonisolated(unsafe) let call = (computer: self, body: body, process: process)
        loop.start {
            do {
                let result = try await call.body(store)
                call.computer.tell("  front end \(index), \(name): \(result)")
            } catch let error as DaybookError {
                call.computer.tell("  front end \(index), \(name): \(error)")
                if !call.process.isDead { call.computer.refused(error, name) }
            } catch {
                if !call.process.isDead { call.computer.model.find("\(name) throws \(error)") }
            }
        }
        if waits { loop.drain() }
        if process.isDead { bury(process) }
    }

    private func refused(_ error: DaybookError, _ name: String) {
        coverage.mark("code: \(error.code)")
        if ["storeDamaged", "storageError", "failed", "systemError"].contains(error.code.rawValue) {
            model.find("\(name) fails: \(error)")
        }
    }
}
