// DaybookSandbox
