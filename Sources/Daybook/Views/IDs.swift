public import DaybookEncoding

/// An event of the log, by its place from 0 on.
public typealias Position = DaybookEncoding.Position

/// A request, by the event that received it.
public typealias RequestID = DaybookEncoding.RequestID

/// A wallet, by the event that added it.
public typealias WalletID = DaybookEncoding.WalletID

/// A front end's session, by the event that began it.
public typealias SessionID = DaybookEncoding.SessionID
