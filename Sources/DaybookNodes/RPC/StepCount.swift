/// Counts the steps of a long question, over all attempts: neither number ever falls.
struct StepCount {
    private let progress: ChainProgress?
    private var done = 0
    private var all = 0

    init(_ progress: ChainProgress?) {
        self.progress = progress
    }

    /// So many more steps are known of.
    mutating func expect(_ steps: Int) {
        guard steps > 0 else { return }
        all += steps
        progress?(done, all)
    }

    /// So many steps are done.
    mutating func finish(_ steps: Int = 1) {
        guard steps > 0 else { return }
        done += steps
        progress?(done, all)
    }

    /// The attempt is over, whatever it had still to do.
    mutating func finishAll() {
        guard done < all else { return }
        done = all
        progress?(done, all)
    }
}
