fn main(){ gatehouse_lib::run() }
