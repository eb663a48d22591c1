// DaybookKeystore
