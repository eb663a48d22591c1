import Testing
@testable import DaybookSandbox
