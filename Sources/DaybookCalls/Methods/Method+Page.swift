import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// Makes addresses of the page that is served beside a front, once there is such a page.
///
/// Each address has a token of its own, which opens the page once and soon expires.
package final class PageAddresses: Sendable {
    private let make = Monitor<(@Sendable () throws -> String)?>(nil)

    package init() {}

    /// Names the page's server, which is made after the front that it serves.
    package func set(_ make: @escaping @Sendable () throws -> String) {
        self.make.change { $0 = make }
    }

    /// A new address; nil if there is no page.
    func next() throws -> String? {
        try make.change { $0 }?()
    }
}

extension Method {
    package static let pageAddress = Method(
        "page.address", command: "page", does: """
            make an address that opens the page of a running server once, within a minute
            A new browser is shown the page without a restart of `daybook serve --page`.
            """,
        gives: ResultType("PageAddress", [.init("page", .secret)]),
        note: """
            an address that opens [the page](FRONTS.md#the-page) once, within a minute; `noPage` \
            without `serve --page`, and to the page itself; `tooManyTokens` if 16 wait to be opened
            """
    ) { call in
        guard let address = try call.front.pageAddresses?.next() else {
            throw CommandFailure(
                "noPage", .refused, "this door has no page: `serve --page` serves one")
        }
        return MethodAnswer(.record(["page": .string(address)]))
    }
}
