import Daybook
import DaybookEncoding
import Foundation
import Testing

/// Web pages of other origins, in a browser that has the session.
struct OtherOriginTests {
    /// Runs a test with a scene whose page is open in a tab.
    private func useOpenPage(
        _ body: (PageScene, Browser, Tab) async throws -> Void
    ) async throws {
        try await PageScene.use { scene in
            let browser = try Browser()
            let page = try Tab(browser, scene.address)
            try page.wait(for: "byId('connection').textContent === 'Connected'")
            try await body(scene, browser, page)
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a server at another port is sent nothing that it could call with`(
        _ host: String
    ) async throws {
        try await useOpenPage { scene, browser, _ in
            let site = try OtherSite("<title>there</title>")
            let tab = try Tab(browser, site.address(at: host))
            try tab.wait(for: "document.title === 'there'")
            _ = try tab.value("(await fetch('/again', {credentials: 'include'})).status")
            let requests = site.requests
            #expect(requests.contains("GET / HTTP/1.1") && requests.contains("GET /again"))
            let lines = requests.lowercased().components(separatedBy: "\r\n")
            let credentials = lines.filter {
                $0.hasPrefix("cookie:") || $0.hasPrefix("authorization:")
            }
            #expect(credentials == [])
            let stored = "JSON.stringify([document.cookie, {...localStorage}, "
                + "{...sessionStorage}])"
            #expect(try tab.value(stored) == #"["",{},{}]"#)
        }
    }

    @Test func `cookies that another port sets do not end the session`() async throws {
        try await useOpenPage { scene, browser, page in
            let site = try OtherSite(
                "<title>there</title>",
                headers: ["/", "/rpc", "/changes"].map {
                    "Set-Cookie: daybook-\(scene.port)=0; Path=\($0)"
                })
            let tab = try Tab(browser, site.address())
            try tab.wait(for: "document.title === 'there'")
            try page.call("Page.reload")
            try page.wait(for: "byId('connection').textContent === 'Connected'")
            let request = try await scene.receive()
            try page.wait(for: "document.querySelector('[data-prompt=\"\(request.id)\"] dt')")
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `frames, images and forms of another page show and change nothing`(
        _ host: String
    ) async throws {
        try await useOpenPage { scene, browser, page in
            let request = try await scene.receive()
            let events = try await scene.store.info().events
            let site = try OtherSite(hostilePage(scene, request))
            let tab = try Tab(browser, site.address(at: host))
            try tab.wait(for: "document.title === 'done'")
            #expect(try tab.value("document.images.length") == "6")
            #expect(try tab.value("[...document.images].every(i => !i.naturalWidth)") == "true")
            #expect(try tab.value("answers.join()") == "TypeError,TypeError,TypeError")
            let frames = try tab.frames()
            #expect(frames.count == 3)
            #expect(frames.allSatisfy { $0["unreachableUrl"] != nil }, "\(frames)")
            #expect(try await scene.store.info().events == events)
            #expect(try await scene.store.request(request.id).status == .pending)
            try page.wait(for: "document.querySelector('[data-prompt=\"\(request.id)\"] dt')")
        }
    }

    /// A page that loads every path as an image, frames the page, posts forms, and calls.
    private func hostilePage(_ scene: PageScene, _ request: WalletRequest) -> String {
        let origin = scene.origin
        let call = #"{"jsonrpc":"2.0","id":1,"method":"request.reject","params":{"request":"#
            + #"\#(request.id)},"x":""#
        return """
            <!DOCTYPE html><title>loading</title>
            <iframe src="\(origin)/"></iframe>
            <iframe name="rpc" src="about:blank"></iframe>
            <iframe name="session" src="about:blank"></iframe>
            <form id="one" method="post" enctype="text/plain" target="rpc" action="\(origin)/rpc">
            <input name='\(call)' value='"}'></form>
            <form id="two" method="post" target="session" action="\(origin)/session">
            <input name="token" value="\(scene.token)"></form>
            <script>
            const answers = [];
            const waits = ["/", "/page.js", "/rpc", "/changes", "/session", "/qr"].map(path =>
              new Promise(done => {
                const image = new Image();
                image.onload = image.onerror = done;
                image.src = "\(origin)" + path;
                document.body.append(image);
              }));
            for (const name of ["rpc", "session"]) waits.push(new Promise(done =>
              document.getElementsByName(name)[0].onload = done));
            one.submit();
            two.submit();
            async function ask(path, options) {
              try { answers.push(await (await fetch("\(origin)" + path, options)).text()); }
              catch (error) { answers.push(error.name); }
            }
            const body = '\(call)"}';
            const headers = {"Content-Type": "application/json"};
            Promise.all(waits)
              .then(() => ask("/rpc", {method: "POST", credentials: "include", body, headers}))
              .then(() => ask("/rpc", {method: "POST", credentials: "include", body}))
              .then(() => ask("/changes", {credentials: "include"}))
              .then(() => document.title = "done");
            </script>
            """
    }
}
