/// Which requests stand together: those of a day, and not too many of them.
///
/// A browser lays out a part of the page only when it is opened, so that a long page stays quick.
struct RequestPages {
    /// How many requests stand together at most.
    static let most = 100

    private var day: String?
    private(set) var stories: [Story] = []

    /// Adds a story; returns those before it if they are a part of their own.
    mutating func add(_ story: Story) -> [Story] {
        let day = Moment.day(story.received)
        let isNew = self.day != day || stories.count == Self.most
        defer { self.day = day }
        guard isNew else {
            stories.append(story)
            return []
        }
        defer { stories = [story] }
        return stories
    }
}
