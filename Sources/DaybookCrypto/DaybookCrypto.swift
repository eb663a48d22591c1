// DaybookCrypto
